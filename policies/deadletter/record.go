package deadletter

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
)

// A record is a letter as the file holds it:
//
//	1 byte   format
//	4 bytes  CRC-32C of all that follows
//	uvarint  length of the description
//	         description, JSON
//	         body, byte for byte
const recordFormat = 1

const recordHeader = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// description is a letter without its body.
type description struct {
	Time       time.Time   `json:"time"`
	Operation  string      `json:"operation"`
	Method     string      `json:"method"`
	Path       string      `json:"path"`
	Header     http.Header `json:"header,omitempty"`
	Status     int         `json:"status,omitempty"`
	SubStatus  int         `json:"subStatus,omitempty"`
	Error      string      `json:"error,omitempty"`
	Attempts   int         `json:"attempts,omitempty"`
	MayHaveRun bool        `json:"mayHaveRun,omitempty"`
	NoBody     bool        `json:"noBody,omitempty"` // nil, not empty
	Replays    int         `json:"replays,omitempty"`
}

// encode writes a letter, and how often it was sent again, as a record.
func encode(l *policies.Letter, replays int) ([]byte, error) {
	text, err := json.Marshal(description{
		l.Time, l.Operation, l.Method, l.Path, l.Header, l.Status, l.SubStatus, l.Error, l.Attempts, l.MayHaveRun,
		l.Body == nil, replays,
	})
	if err != nil {
		return nil, fmt.Errorf("deadletter: %w", err)
	}
	record := make([]byte, recordHeader, recordHeader+binary.MaxVarintLen64+len(text)+len(l.Body))
	record = binary.AppendUvarint(record, uint64(len(text)))
	record = append(append(record, text...), l.Body...)
	record[0] = recordFormat
	binary.BigEndian.PutUint32(record[1:], crc32.Checksum(record[recordHeader:], castagnoli))
	return record, nil
}

var (
	errChecksum = errors.New("the checksum is wrong")
	errFormat   = errors.New("the format is unknown, perhaps that of a later version")
)

// decode reads a record. The letter shares no memory with it.
func decode(record []byte) (policies.Letter, int, error) {
	var d description
	text, body, err := split(record)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		return policies.Letter{}, 0, err
	}
	l := policies.Letter{
		Time: d.Time, Operation: d.Operation, Method: d.Method, Path: d.Path, Header: d.Header,
		Status: d.Status, SubStatus: d.SubStatus, Error: d.Error, Attempts: d.Attempts, MayHaveRun: d.MayHaveRun,
	}
	if !d.NoBody {
		l.Body = append([]byte{}, body...)
	}
	return l, d.Replays, nil
}

// split checks a record and cuts it into description and body.
func split(record []byte) (text, body []byte, err error) {
	if len(record) == 0 || record[0] != recordFormat {
		return nil, nil, errFormat
	}
	if len(record) < recordHeader || binary.BigEndian.Uint32(record[1:]) != crc32.Checksum(record[recordHeader:], castagnoli) {
		return nil, nil, errChecksum
	}
	r := bytes.NewReader(record[recordHeader:])
	length, err := binary.ReadUvarint(r)
	if err != nil || length > uint64(r.Len()) {
		return nil, nil, errChecksum
	}
	rest := record[len(record)-r.Len():]
	return rest[:length], rest[length:], nil
}
