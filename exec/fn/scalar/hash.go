package scalar

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"

	"github.com/sqlstream/sqlstream/exec/fn"
	"github.com/sqlstream/sqlstream/exec/types"
)

// digests append the hash of s.
var digests = map[string]func(dst, s []byte) []byte{
	"MD5":    func(dst, s []byte) []byte { h := md5.Sum(s); return append(dst, h[:]...) },
	"SHA1":   func(dst, s []byte) []byte { h := sha1.Sum(s); return append(dst, h[:]...) },
	"SHA224": func(dst, s []byte) []byte { h := sha256.Sum224(s); return append(dst, h[:]...) },
	"SHA256": func(dst, s []byte) []byte { h := sha256.Sum256(s); return append(dst, h[:]...) },
	"SHA384": func(dst, s []byte) []byte { h := sha512.Sum384(s); return append(dst, h[:]...) },
	"SHA512": func(dst, s []byte) []byte { h := sha512.Sum512(s); return append(dst, h[:]...) },
}

func init() {
	for name, digest := range digests {
		simple{name: name, syntax: name + "(string)", doc: name + " of a string, in lower-case hexadecimal.", params: []param{textual},
			result: types.CharOf(2 * len(digest(nil, nil))), kernel: hexDigest(digest)}.register()
	}
	fn.Register(&fn.Scalar{Name: "SHA2", Syntax: "SHA2(string, bits)", Doc: "SHA-2 of 224, 256, 384 or 512 bits of a string, in lower-case hexadecimal.", Bind: bindSHA2})
}

func hexDigest(digest func(dst, s []byte) []byte) func() fn.Kernel {
	return textRows(func(dst []byte, r row) ([]byte, bool) {
		var buf [64]byte
		return hex.AppendEncode(dst, digest(buf[:0], r.bytes(0))), true
	})
}

func bindSHA2(args []fn.Arg) (*fn.Bound, error) {
	ts, err := bind("SHA2(string, bits)", args, 0, textual, intArg)
	if err != nil {
		return nil, err
	}
	if args[1].Literal == nil || args[1].Literal.Null {
		return nil, fmt.Errorf("the bits of SHA2 must be a constant")
	}
	digest, ok := digests[fmt.Sprintf("SHA%d", args[1].Literal.I)]
	if !ok || args[1].Literal.I < 224 {
		return nil, fmt.Errorf("SHA2 knows 224, 256, 384 and 512 bits, not %d", args[1].Literal.I)
	}
	return &fn.Bound{Params: ts, Result: strict(types.Type{Kind: types.Varchar, Precision: 128}, args), New: hexDigest(digest)}, nil
}
