//go:build unix

package cosmostest

import (
	"io"
	"net"
	"os"
	"syscall"
)

// holdPort binds a socket to addr without listening: connections are refused, and the system gives the port to nobody
// else.
func holdPort(addr string) (io.Closer, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, err
	}
	family, sa := syscall.AF_INET, syscall.Sockaddr(nil)
	if ip := tcp.IP.To4(); ip != nil {
		sa = &syscall.SockaddrInet4{Port: tcp.Port, Addr: [4]byte(ip)}
	} else {
		family, sa = syscall.AF_INET6, &syscall.SockaddrInet6{Port: tcp.Port, Addr: [16]byte(tcp.IP.To16())}
	}
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	// Connections that were cut linger for a while; they are no reason not to bind.
	if err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err == nil {
		err = syscall.Bind(fd, sa)
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, os.NewSyscallError("bind", err)
	}
	return socket(fd), nil
}

// socket is a file descriptor.
type socket int

// Close gives the port back.
func (s socket) Close() error { return syscall.Close(int(s)) }
