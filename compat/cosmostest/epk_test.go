package cosmostest

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// hashVectors are those that the SDKs share (PartitionKeyHashBaselineTest).
func hashVectors() []hashVector {
	a := func(n int) string { return strings.Repeat("a", n) }
	return []hashVector{
		{0.0, "1EDA80A6", "555B95BEDAC4B1E9EC1CDC9BB0DDDE58"},
		{math.Copysign(0, -1), "B03DA650", "3D018BB1DF3DB27235766E81FD10406E"},
		{1.0, "E1655A93", "A0CD98B339BA78A5D0CF6953B87070B0"},
		{-1.0, "452BDBE7", "59938E7A936C1C5B9E3AE842BBC16839"},
		{5e-324, "AC83D318", "0E6CBA63A280927DE485DEF865800139"},
		{math.MaxFloat64, "378B3C46", "71424D996457102634591FF245DBCC4D"},
		{-math.MaxFloat64, "E38DD8A1", "27050CC4910CFD9DACE1283D3801DF25"},
		{math.Float64frombits(0xFFF8000000000000), "AF04DA37", "5AA4222583D70ECAA0922D8CA8EDFCB1"},
		{math.Inf(-1), "0F5A6CC5", "5B63B3FB266DB3B6CD3BC79FE893CDE8"},
		{math.Inf(1), "D2F84F93", "3889F7F08A8CE2A5C9829BBB1944B4FF"},
		{float64(math.MaxInt64), "1732A96D", "6EDB959178DFCCA18983F89384D1629B"},
		{float64(math.MinInt64), "69AF2787", "63D5C6395512BDFEAFADAD15328AD2BB"},
		{9007199254740991.0, "13F69B8A", "12C221C7032CED1F9E6693CE1428E6CF"},
		{9007199254740990.0, "E5744366", "8FEA3467D94AA6E4628EF0B248C1FD9B"},
		{9007199254740992.0, "A30CCE12", "55335910D01122E3D99DA5DE569B065D"},
		{undefined{}, "514E28B7", "51622DAA78F835834610ABE56EFF5CB5"},
		{nil, "E45AD1AB", "778867E4430E67857ACE5C908374FE16"},
		{true, "5E2A8076", "4E711127C5B5A8E4726AC6DD306A3E59"},
		{false, "6C27D09F", "EFE1BE91E90A3439635E0E9E37361EF2"},
		{"", "3CCCB0FF", "B2E9366E637A71B4E710384B2F4970A0"},
		{"asdf", "B02BABC2", "608BF1D598F5B63AD5520F04FE58C5E8"},
		{a(99), "CCC122D9", "3C02F609961C32AAC2B912B940D1209A"},
		{a(100), "D5843D83", "8DBD7D229437BB665DE6417747994D57"},
		{a(101), "3B1B5D8D", "88042541D30C8BF90D7092B1519AE0BC"},
		{a(2048), "9C91058D", "B3E0AE996F53F2CD5DD5574ACAB3BF19"},
	}
}

type hashVector struct {
	key    any
	v1, v2 string
}

func TestHashes(t *testing.T) {
	for _, tc := range hashVectors() {
		key := []any{tc.key}
		if got, want := epkV1(key), strings.Repeat("0", 24)+tc.v1; got != want {
			t.Errorf("%.20v: version 1 %s, want %s", tc.key, got, want)
		}
		if got := hashV2(key); got != tc.v2 {
			t.Errorf("%.20v: version 2 %s, want %s", tc.key, got, tc.v2)
		}
	}
}

func TestEffectiveKeys(t *testing.T) {
	paths := []any{"/path1", "/path2", "/path3"}
	for i, tc := range []struct{ v1, v2 string }{
		{"A6C6298A", "B499FD5198AE0F1EB6B77F6E428D2FF0"},
		{"9D008F2C", "E7A1848BD1102A3B65AFF266874D0FF5"},
		{"3E47FEA2", "ECA5ABC953544CF9BD94776DA5E6EA52"},
	} {
		v1, multi := epkV1(paths[:i+1]), epkMulti(paths[:i+1])
		first, _ := strconv.ParseUint(tc.v2[:2], 16, 8)
		masked := strconv.FormatUint(first&0x3F|0x100, 16)[1:] + tc.v2[2:]
		if !strings.HasSuffix(v1, strings.Repeat("0", 24)+tc.v1) || len(v1) != 32*(i+1) {
			t.Errorf("version 1 of %d paths: %s", i+1, v1)
		}
		if !strings.EqualFold(multi[32*i:], masked) {
			t.Errorf("component %d: %s, want %s", i, multi[32*i:], masked)
		}
	}
}

// TestRanges: the partitions cover the hash space, and keys spread over all of them.
func TestRanges(t *testing.T) {
	for _, version := range []int{1, 2} {
		def := keyDef{paths: []string{"/pk"}, kind: "Hash", version: version}
		for _, n := range []int{1, 2, 3, 7} {
			c := &container{def: def, parts: newPartitions(n, version)}
			if c.parts[0].min != "" || c.parts[n-1].max != "FF" {
				t.Errorf("%d partitions: %v", n, c.parts)
			}
			var seen []string
			for i := range 200 {
				seen = append(seen, c.partFor([]any{strconv.Itoa(i)}).id)
			}
			slices.Sort(seen)
			if got := len(slices.Compact(seen)); got != n {
				t.Errorf("version %d: 200 keys use %d of %d partitions", version, got, n)
			}
		}
	}
}
