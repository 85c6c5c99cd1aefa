// A Go server of known truth, a goroutine for each connection: slots CELL. See books.py for the book.
//
// Where requests wait in the accept queue there are as many goroutines as slots instead, and each accepts for
// itself.
package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Cell is what cells.spec has written.
type Cell struct {
	Slots          int     `json:"slots"`
	Queue          string  `json:"queue"`
	SleepMs        float64 `json:"sleep_ms"`
	CPUMs          float64 `json:"cpu_ms"`
	LockMs         float64 `json:"lock_ms"`
	Pool           int     `json:"pool"`
	Calls          bool    `json:"calls"`
	DiskKB         int     `json:"disk_kb"`
	Parts          int     `json:"parts"`
	Closes         bool    `json:"closes"`
	DependencyPort int     `json:"dependency_port"`
	Unix           string  `json:"unix"`
	Certificate    string  `json:"certificate"`
	File           string  `json:"file"`
}

// places is a semaphore; nil has room for all.
type places chan struct{}

func (p places) take() {
	if p != nil {
		p <- struct{}{}
	}
}

func (p places) give() {
	if p != nil {
		<-p
	}
}

func placesOf(number int) places {
	if number == 0 {
		return nil
	}
	return make(places, number)
}

type server struct {
	cell        Cell
	isPlain     bool
	book        book
	slots, pool places
	lock        sync.Mutex
	free        chan net.Conn
	files       chan *os.File
	answer      [][]byte
	data        []byte
	tls         *tls.Config
}

func (s *server) accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		accepted := nanoseconds(clockMonotonic)
		if s.cell.Queue == "accept" {
			s.serve(connection, accepted)
		} else {
			go s.serve(connection, accepted)
		}
	}
}

// serve answers the requests of a connection until its client leaves.
func (s *server) serve(connection net.Conn, accepted int64) {
	defer connection.Close()
	if tcp, is := connection.(*net.TCPConn); is && s.cell.Parts > 1 {
		tcp.SetNoDelay(false)
	}
	raw, err := connection.(syscall.Conn).SyscallConn()
	if err != nil {
		return
	}
	if s.tls != nil {
		connection = tls.Server(connection, s.tls)
	}
	for s.answerNext(connection, raw, accepted) && !s.cell.Closes {
		accepted = 0
	}
}

// answerNext reads a request and answers it; false where there is none.
func (s *server) answerNext(connection net.Conn, raw syscall.RawConn, accepted int64) bool {
	spent := spent{requests: 1}
	if s.cell.Queue == "kernel" {
		if !readable(raw) {
			return false
		}
		s.slots.take()
		defer s.slots.give()
	}
	waited, ok := s.read(connection, raw)
	if !ok {
		return false
	}
	read := nanoseconds(clockMonotonic)
	spent.before(waited, accepted, read)
	if s.cell.Queue == "process" {
		s.slots.take()
		defer s.slots.give()
	}
	spent.slot = nanoseconds(clockMonotonic) - read
	if s.work(&spent) != nil {
		return false
	}
	for _, part := range s.answer {
		if _, err := connection.Write(part); err != nil {
			return false
		}
	}
	spent.hand = nanoseconds(clockMonotonic) - read
	s.book.add(&spent)
	return true
}

// read takes a request in: how long it had waited to be read, 0 where that is not known.
func (s *server) read(connection net.Conn, raw syscall.RawConn) (int64, bool) {
	var text []byte
	var waited int64
	buffer := make([]byte, 8192)
	for !strings.HasSuffix(string(text), "\r\n\r\n") {
		var n int
		var err error
		if s.isPlain {
			n, waited, err = stampedRead(raw, buffer)
		} else {
			n, err = connection.Read(buffer)
		}
		if err != nil || n == 0 {
			return 0, false
		}
		text = append(text, buffer[:n]...)
	}
	return waited, true
}

func (s *server) work(spent *spent) error {
	if s.cell.SleepMs > 0 {
		time.Sleep(time.Duration(s.cell.SleepMs * 1e6))
	}
	if s.cell.CPUMs > 0 {
		spent.burn(s.cell.CPUMs)
	}
	if s.cell.LockMs > 0 {
		began := nanoseconds(clockMonotonic)
		s.lock.Lock()
		time.Sleep(time.Duration(s.cell.LockMs * 1e6))
		s.lock.Unlock()
		spent.lock = nanoseconds(clockMonotonic) - began
	}
	if s.cell.Calls {
		began := nanoseconds(clockMonotonic)
		s.pool.take()
		spent.pool = nanoseconds(clockMonotonic) - began
		err := s.call(spent)
		s.pool.give()
		if err != nil {
			return err
		}
	}
	if s.cell.DiskKB > 0 {
		return s.synced(spent)
	}
	return nil
}

// call asks the dependency over a connection that is free, or a new one.
func (s *server) call(spent *spent) error {
	var connection net.Conn
	select {
	case connection = <-s.free:
	default:
		var err error
		connection, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.cell.DependencyPort))
		if err != nil {
			return err
		}
	}
	began := nanoseconds(clockMonotonic)
	if _, err := fmt.Fprintf(connection, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
		return err
	}
	var text []byte
	buffer := make([]byte, 4096)
	for !strings.HasSuffix(string(text), "ok") {
		n, err := connection.Read(buffer)
		if err != nil {
			return err
		}
		text = append(text, buffer[:n]...)
	}
	spent.call = nanoseconds(clockMonotonic) - began
	s.free <- connection
	return nil
}

// synced writes data over a file and syncs it; what the sync waits for is the disk.
func (s *server) synced(spent *spent) error {
	var file *os.File
	select {
	case file = <-s.files:
	default:
		var err error
		file, err = os.CreateTemp(filepath.Dir(s.cell.File), filepath.Base(s.cell.File))
		if err != nil {
			return err
		}
	}
	if _, err := file.WriteAt(s.data, 0); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	schedstat, err := os.Open("/proc/thread-self/schedstat")
	if err != nil {
		return err
	}
	defer schedstat.Close()
	var before, after reading
	failed := fsync(file.Fd(), schedstat.Fd(), &before, &after)
	delayed := after.delay() - before.delay()
	spent.disk = max(0, after.at.Nano()-before.at.Nano()-(after.cpu.Nano()-before.cpu.Nano())-delayed)
	spent.delay += delayed
	s.files <- file
	if failed != 0 {
		return failed
	}
	return nil
}

func main() {
	server := server{free: make(chan net.Conn, 4096), files: make(chan *os.File, 4096)}
	if err := json.Unmarshal([]byte(os.Args[1]), &server.cell); err != nil {
		panic(err)
	}
	cell := &server.cell
	server.isPlain = cell.Unix == "" && cell.Certificate == ""
	server.slots, server.pool = placesOf(cell.Slots), placesOf(cell.Pool)
	server.data = make([]byte, cell.DiskKB<<10)
	connection := "keep-alive"
	if cell.Closes {
		connection = "close"
	}
	head := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: " + connection + "\r\n\r\n"
	server.answer = [][]byte{[]byte(head + "ok")}
	if cell.Parts > 1 {
		server.answer = [][]byte{[]byte(head), []byte("ok")}
	}
	if cell.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(cell.Certificate+"/cert.pem", cell.Certificate+"/key.pem")
		if err != nil {
			panic(err)
		}
		server.tls = &tls.Config{Certificates: []tls.Certificate{pair}}
	}
	listener, port := listening(cell.Unix, server.isPlain)
	acceptors := 1
	if cell.Queue == "accept" {
		acceptors = cell.Slots
	}
	for range acceptors {
		go server.accept(listener)
	}
	fmt.Printf("{\"port\": %d}\n", port)
	io.Copy(io.Discard, os.Stdin)
	fmt.Println(server.book.json(server.isPlain))
}
