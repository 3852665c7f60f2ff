// Package deadletter keeps writes that the policies gave up in a file, and sends
// them again later.
package deadletter
