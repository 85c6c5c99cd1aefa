// The book of the Go server, the clocks, and reads that know when their data arrived. See books.py.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// Numbers of clocks, of time.h; the package syscall has none.
const (
	clockRealtime  = 0
	clockMonotonic = 1
	clockProcess   = 2
	clockThread    = 3
)

// soTimestampNS is SO_TIMESTAMPNS of asm-generic/socket.h.
const soTimestampNS = 35

const bucketNS = 250_000_000

// stampsAfter: the kernel switches its stamps on in the background when the first socket wants them.
const stampsAfter = 50 * time.Millisecond

func nanoseconds(clock uintptr) int64 {
	var at syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano()
}

// spent is what a request has spent, in nanoseconds.
type spent struct {
	requests, acceptQueue, unread, hand, slot, pool, lock, cpu, delay, call, disk, processCPU int64
}

// before enters what passed before a request was read. accepted: 0 where its connection was used before.
func (s *spent) before(waited, accepted, read int64) {
	if accepted > 0 {
		s.acceptQueue = min(waited, max(0, accepted-(read-waited)))
	}
	s.unread = waited - s.acceptQueue
}

// burn runs until the thread has used so much CPU time; the goroutine keeps its thread meanwhile.
func (s *spent) burn(cpuMs float64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	delayed := delay()
	began := nanoseconds(clockThread)
	end := began + int64(cpuMs*1e6)
	now := began
	for now < end {
		now = nanoseconds(clockThread)
	}
	s.cpu = now - began
	s.delay += delay() - delayed
}

// delay is how long this thread has waited for a core so far.
func delay() int64 {
	text, err := os.ReadFile("/proc/thread-self/schedstat")
	if err != nil {
		panic(err)
	}
	return delayOf(text)
}

func delayOf(schedstat []byte) int64 {
	waited, err := strconv.ParseInt(strings.Fields(string(schedstat))[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return waited
}

// entersyscall and exitsyscall tell the scheduler of Go that a thread is in the kernel, and that it is back, as
// the package syscall does around each call.
//
//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// reading is what the clocks of a thread say, and its schedstat as it is read.
type reading struct {
	at, cpu   syscall.Timespec
	schedstat [80]byte
	length    uintptr
}

// fsync syncs a file and reads the clocks in the kernel, before the goroutine waits for its turn again: on one
// core Go runs one goroutine at a time, and the wait for that is no disk's.
//
//go:nosplit
func fsync(file, schedstat uintptr, before, after *reading) syscall.Errno {
	entersyscall()
	take(schedstat, before)
	_, _, failed := syscall.RawSyscall(syscall.SYS_FSYNC, file, 0, 0)
	take(schedstat, after)
	exitsyscall()
	return failed
}

//go:nosplit
func take(schedstat uintptr, to *reading) {
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&to.at)), 0)
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThread, uintptr(unsafe.Pointer(&to.cpu)), 0)
	to.length, _, _ = syscall.RawSyscall6(
		syscall.SYS_PREAD64, schedstat, uintptr(unsafe.Pointer(&to.schedstat)), uintptr(len(to.schedstat)), 0, 0, 0,
	)
}

// delay is how long the thread had waited for a core.
func (r *reading) delay() int64 {
	return delayOf(r.schedstat[:r.length])
}

type book struct {
	lock    sync.Mutex
	buckets map[int64]*spent
}

func (b *book) add(spent_ *spent) {
	number := nanoseconds(clockMonotonic) / bucketNS
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.buckets == nil {
		b.buckets = map[int64]*spent{}
	}
	bucket := b.buckets[number]
	if bucket == nil {
		bucket = &spent{}
		b.buckets[number] = bucket
	}
	bucket.requests += spent_.requests
	bucket.acceptQueue += spent_.acceptQueue
	bucket.unread += spent_.unread
	bucket.hand += spent_.hand
	bucket.slot += spent_.slot
	bucket.pool += spent_.pool
	bucket.lock += spent_.lock
	bucket.cpu += spent_.cpu
	bucket.delay += spent_.delay
	bucket.call += spent_.call
	bucket.disk += spent_.disk
	bucket.processCPU = nanoseconds(clockProcess)
}

// json is the book as one line of JSON.
func (b *book) json(hasArrivals bool) string {
	b.lock.Lock()
	defer b.lock.Unlock()
	rows := []map[string]int64{}
	for number, sums := range b.buckets {
		rows = append(rows, map[string]int64{
			"number": number, "requests": sums.requests, "accept_queue": sums.acceptQueue,
			"unread": sums.unread, "hand": sums.hand, "slot": sums.slot, "pool": sums.pool, "lock": sums.lock,
			"cpu": sums.cpu, "delay": sums.delay, "call": sums.call, "disk": sums.disk,
			"process_cpu": sums.processCPU,
		})
	}
	text, err := json.Marshal(map[string]any{
		"has_arrivals": hasArrivals, "bucket_ns": bucketNS, "buckets": rows,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// readable waits until there is something to read, without reading it.
func readable(raw syscall.RawConn) bool {
	var failed error
	byte_ := make([]byte, 1)
	err := raw.Read(func(descriptor uintptr) bool {
		_, _, failed = syscall.Recvfrom(int(descriptor), byte_, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return failed != syscall.EAGAIN && failed != syscall.EINTR
	})
	return err == nil && failed == nil
}

// stampedRead reads, and tells how long ago what it read arrived in the kernel.
func stampedRead(raw syscall.RawConn, buffer []byte) (n int, waited int64, failed error) {
	ancillary := make([]byte, 128)
	var length int
	err := raw.Read(func(descriptor uintptr) bool {
		n, length, _, _, failed = syscall.Recvmsg(int(descriptor), buffer, ancillary, syscall.MSG_DONTWAIT)
		return failed != syscall.EAGAIN && failed != syscall.EINTR
	})
	if err != nil {
		return 0, 0, err
	}
	messages, _ := syscall.ParseSocketControlMessage(ancillary[:length])
	for _, message := range messages {
		if message.Header.Level == syscall.SOL_SOCKET && message.Header.Type == soTimestampNS {
			stamp := (*syscall.Timespec)(unsafe.Pointer(&message.Data[0]))
			waited = max(0, nanoseconds(clockRealtime)-stamp.Nano())
		}
	}
	return n, waited, failed
}

// listening opens the listener, which stamps what arrives where that is wanted; accepted connections inherit it.
func listening(unix string, stamps bool) (net.Listener, int) {
	if unix != "" {
		listener, err := net.Listen("unix", unix)
		if err != nil {
			panic(err)
		}
		return listener, 0
	}
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(descriptor uintptr) {
			if stamps {
				failed = syscall.SetsockoptInt(int(descriptor), syscall.SOL_SOCKET, soTimestampNS, 1)
			}
		})
		if err != nil {
			return err
		}
		return failed
	}}
	listener, err := config.Listen(context.Background(), "tcp4", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprint("cannot listen: ", err))
	}
	time.Sleep(stampsAfter)
	return listener, listener.Addr().(*net.TCPAddr).Port
}
