package cosmostest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
)

// undefined is a partition key component that the item does not have.
type undefined struct{}

// hashInput appends a partition key component (nil, bool, float64, string or undefined) as it is hashed.
func hashInput(buf []byte, component any, stringEnd byte) []byte {
	switch v := component.(type) {
	case undefined:
		return append(buf, 0x00)
	case nil:
		return append(buf, 0x01)
	case bool:
		if v {
			return append(buf, 0x03)
		}
		return append(buf, 0x02)
	case float64:
		return binary.LittleEndian.AppendUint64(append(buf, 0x05), math.Float64bits(v))
	case string:
		return append(append(append(buf, 0x08), v...), stringEnd)
	}
	panic(fmt.Sprintf("cosmostest: partition key component of type %T", component)) // parseKey lets no other type in
}

// epkV1 is the effective partition key of version 1: the 32-bit hash of every component, in 16 bytes each.
func epkV1(key []any) string {
	var out strings.Builder
	for _, component := range key {
		out.WriteString(fmt.Sprintf("%032X", murmur32(hashInput(nil, component, 0x00))))
	}
	return out.String()
}

// hashV2 is the 128-bit hash of the components together, as big-endian hex.
func hashV2(key []any) string {
	var buf []byte
	for _, component := range key {
		buf = hashInput(buf, component, 0xFF)
	}
	low, high := murmur128(buf)
	hash := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(buf[:0], high), low)
	return strings.ToUpper(hex.EncodeToString(hash))
}

// epkV2 is the effective partition key of version 2. The top two bits are cleared: the hash space ends before "FF".
func epkV2(key []any) string {
	hash := hashV2(key)
	return string("0123"[fromHex(hash[0])&3]) + hash[1:]
}

// epkMulti is the effective partition key of a hierarchical key: the hashes of the components one after the other. A
// key with fewer components than paths gives the prefix of all its items.
func epkMulti(key []any) string {
	var out strings.Builder
	for i := range key {
		out.WriteString(epkV2(key[i : i+1]))
	}
	return out.String()
}

func fromHex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c - 'A' + 10
}

// boundaries are the n-1 inner boundaries of n equal shares of the hash space.
func boundaries(n, version int) []string {
	out := make([]string, 0, n-1)
	for i := uint64(1); i < uint64(n); i++ {
		if version == 1 {
			out = append(out, fmt.Sprintf("%032X", i<<32/uint64(n)))
		} else {
			out = append(out, fmt.Sprintf("%016X%016X", i*(1<<62/uint64(n)), 0))
		}
	}
	return out
}
