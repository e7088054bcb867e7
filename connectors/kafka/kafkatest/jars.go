// Package kafkatest runs a real Apache Kafka on the loopback interface, for
// tests that need what the embedded broker does not show: coordinator moves,
// CONCURRENT_TRANSACTIONS, transactions that survive kill -9, time-outs.
//
// The jars come from Maven into the user's cache folder, once. java and mvn
// must be installed: without them tests are skipped with a loud line, and
// fail if CI=true.
package kafkatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const kafkaVersion = "4.4.0"

// ErrNoTools means that java or mvn is not installed.
var ErrNoTools = errors.New("java and mvn are needed to run a real Apache Kafka (Debian: openjdk-17-jre-headless, maven)")

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sqlstream</groupId><artifactId>kafkatest</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>` + kafkaVersion + `</version></dependency>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>2.25.1</version></dependency>
  </dependencies>
</project>
`

// jars returns the folder with Kafka's jars and fetches them if needed.
func jars() (string, error) {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%w: %v", ErrNoTools, err)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "sqlstream-kafka", kafkaVersion)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, fetch(dir)
}

// fetch resolves the jars into a folder beside dir and renames it, so that an
// interrupted download is never taken for a complete one.
func fetch(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "fetch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.WriteFile(filepath.Join(tmp, "pom.xml"), []byte(pom), 0o644); err != nil {
		return err
	}
	lib := filepath.Join(tmp, "lib")
	cmd := exec.Command("mvn", "-q", "-B", "-f", filepath.Join(tmp, "pom.xml"),
		"org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies", "-DoutputDirectory="+lib)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mvn could not resolve Apache Kafka %s: %w\n%s", kafkaVersion, err, out)
	}
	err = os.Rename(lib, dir)
	if _, statErr := os.Stat(dir); statErr == nil {
		return nil // ours, or another process was faster
	}
	return err
}
