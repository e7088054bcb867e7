package badger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	latestName = "LATEST"
	dbName     = "db"
)

func readLatest(dir string) ([]byte, error) {
	rec, err := os.ReadFile(filepath.Join(dir, latestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return rec, err
}

// writeLatest replaces the file as a whole: temporary file, fsync, rename,
// fsync of the folder.
func writeLatest(dir string, rec []byte) (err error) {
	tmp := filepath.Join(dir, latestName+".tmp")
	if err := writeSynced(tmp, rec); err != nil {
		return err
	}
	if err := os.Rename(tmp, filepath.Join(dir, latestName)); err != nil {
		return err
	}
	return syncDir(dir)
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
