package engine_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/engine/rpc"
)

// behaviourEnv makes the test binary a misbehaving engine that runs no tests.
const behaviourEnv = "REPLANBENCH_TEST_BEHAVIOUR"

func TestMain(m *testing.M) {
	if b := os.Getenv(behaviourEnv); b != "" {
		if trick, ok := strings.CutPrefix(b, trickPrefix); ok {
			serveTricks(trick)
			os.Exit(0)
		}
		misbehave(b)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hangsEnv is the address at which an engine reports that it hangs from now on, so that no test
// has to wait for a timeout.
const hangsEnv = "REPLANBENCH_TEST_HANGS"

// tellHang reports to the test that this engine gives no more answers. It keeps a connection
// open until the engine is killed.
func tellHang() {
	address := os.Getenv(hangsEnv)
	if address == "" {
		return
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	go func() {
		_, _ = c.Read(make([]byte, 1)) // nothing comes
	}()
}

// trigger is the reply of the case on which most engines misbehave.
const trigger = "trigger"

// fixture is an engine that rejects every case with the case's reply as message, unless it
// misbehaves.
type fixture struct {
	behaviour string
	before    string // an answer
	mu        sync.Mutex
	count     int
}

// startsEnv is a file that gets a byte for each engine that starts.
const startsEnv = "REPLANBENCH_TEST_STARTS"

func misbehave(behaviour string) {
	f := &fixture{behaviour: behaviour}
	if name := os.Getenv(startsEnv); name != "" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		_, _ = file.Write([]byte{'.'})
		file.Close()
	}
	switch behaviour {
	case "TypeScript without tsx":
		fmt.Fprintln(os.Stderr, `TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".mts"`)
		os.Exit(1)
	case "exits at start":
		fmt.Fprintln(os.Stderr, "no configuration found")
		os.Exit(3)
	case "sleeps":
		time.Sleep(time.Hour) // until it is killed
		os.Exit(0)
	case "ignores TERM":
		signal.Ignore(syscall.SIGTERM)
	case "bench":
		serveBench(0)
		return
	case "bench 150µs":
		serveBench(150 * time.Microsecond)
		return
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, rpc.MaxLine)
	for in.Scan() {
		var m rpc.Message
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(4)
		}
		switch m.Method {
		case rpc.Initialize:
			f.initialize(m)
		case rpc.Eval:
			f.eval(m)
		case rpc.Shutdown:
			switch behaviour {
			case "says goodbye":
				fmt.Fprintln(os.Stderr, "last words")
				f.write("goodbye\n")
			case "fails when told to end":
				fmt.Fprintln(os.Stderr, "last words")
				os.Exit(7)
			}
			os.Exit(0)
		}
	}
	if behaviour == "ignores TERM" {
		select {}
	}
}

func (f *fixture) initialize(m rpc.Message) {
	version, window := 1, 8
	switch f.behaviour {
	case "protocol version 2":
		version = 2
	case "window 1":
		window = 1
	case "unknown knob":
		f.reply(m, `{"protocol":1,"engine":{"name":"x"},"dialects":{"planpatch":{"profile":{"conflict":"keep"}}}}`)
		return
	}
	f.reply(m, fmt.Sprintf(`{"protocol":%d,"engine":{"name":"fixture","version":"1"},"window":%d,"dialects":{"planpatch":{}}}`, version, window))
}

func (f *fixture) write(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	os.Stdout.WriteString(s)
}

func (f *fixture) reply(m rpc.Message, result string) {
	f.write(response(string(m.ID), result))
}

func response(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

func (f *fixture) eval(m rpc.Message) {
	var p rpc.EvalParams
	if err := json.Unmarshal(m.Params, &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
	text := string(p.Case.Replies[0])
	result := fmt.Sprintf(`{"verdict":"rejected","code":"empty_patch","message":%q}`, text)
	f.count++
	switch f.behaviour {
	case "exits after k cases":
		f.reply(m, result)
		if f.count == 40 {
			os.Exit(3)
		}
		return
	case "answers slowly but in time":
		time.Sleep(10 * time.Millisecond)
	case "out of order":
		n := f.count
		go func() {
			time.Sleep(time.Duration(7-n%8) * 2 * time.Millisecond)
			f.reply(m, result)
		}()
		return
	case "splits a line over many writes":
		for _, b := range []byte(response(string(m.ID), result)) {
			os.Stdout.Write([]byte{b})
		}
		return
	case "floods standard error":
		os.Stderr.Write(bytes.Repeat([]byte("noise "), 50_000))
	case "logs every case to standard output":
		f.write("DEBUG evaluating " + text + "\n")
	case "different answers to the same case":
		result = fmt.Sprintf(`{"verdict":"rejected","code":"empty_patch","message":"%d"}`, f.count)
	case "crashes on every case":
		os.Exit(1)
	case "answers again later":
		if text != trigger { // repeats the other answer and gives none of its own
			f.write(f.before)
			return
		}
		f.before = response(string(m.ID), result)
	}
	if text == trigger {
		f.evalTrigger(m, result)
		return
	}
	f.reply(m, result)
}

// nextID is the next id if ids were a counter.
func nextID(m rpc.Message) string {
	id, err := strconv.Atoi(string(m.ID))
	if err != nil {
		panic(err) // the harness sends numbers
	}
	return strconv.Itoa(id + 1)
}

// evalTrigger answers the one case on which the engine misbehaves.
func (f *fixture) evalTrigger(m rpc.Message, result string) {
	answers := map[string]string{
		"answers twice":           response(string(m.ID), result) + response(string(m.ID), result),
		"answers early":           response(string(m.ID), result) + response(nextID(m), result),
		"answers an unknown id":   response("123456", result),
		"logs to standard output": "DEBUG \x1b[31mevaluating\x1b[0m\n" + response(string(m.ID), result),
		"a plan that is none":     response(string(m.ID), `{"verdict":"applied","plan":{"title":"t","steps":"none"}}`),
		"no plan":                 response(string(m.ID), `{"verdict":"applied"}`),
		"a wrong verdict":         response(string(m.ID), `{"verdict":"accepted"}`),
		"a code that is none":     response(string(m.ID), `{"verdict":"rejected","code":"done_imutable"}`),
		"invalid UTF-8": response(string(m.ID),
			"{\"verdict\":\"rejected\",\"code\":\"empty_patch\",\"message\":\"\xff\xfe\"}"),
		"a JSON-RPC error": fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"KeyError: 'id'"}}`+"\n", m.ID),
	}
	if a, ok := answers[f.behaviour]; ok {
		f.write(a)
		if f.behaviour == "answers an unknown id" {
			tellHang() // the right request gets no answer
		}
		return
	}
	switch f.behaviour {
	case "crashes on one case":
		fmt.Fprintln(os.Stderr, "Traceback: boom")
		os.Exit(1)
	case "hangs on one case", "ignores TERM":
		tellHang()
		select {}
	case "100 MB without an end":
		chunk := strings.Repeat("x", 1<<20)
		for range 100 {
			os.Stdout.WriteString(chunk)
		}
	case "prints without end":
		for {
			os.Stdout.WriteString("tick\n")
		}
	case "closes standard output":
		os.Stdout.Close()
		time.Sleep(time.Hour) // until it is killed
	case "leaves a child with the pipe":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), behaviourEnv+"=sleeps")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		os.Exit(0)
	case "leaves a child in a session of its own", "leaves a child that knows nothing of it":
		cmd := exec.Command("setsid", "sh", "-c", "echo $$; exec sleep 1000")
		if f.behaviour == "leaves a child that knows nothing of it" {
			cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			panic(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		fmt.Fprint(os.Stderr, line) // its id
		os.Exit(1)
	case "grows in memory":
		var hoard [][]byte
		for range 32 {
			hoard = append(hoard, bytes.Repeat([]byte{1}, 16<<20))
		}
		time.Sleep(time.Hour) // until it is killed
		panic(len(hoard))
	default:
		f.reply(m, result)
	}
}

// testCase returns a case with this reply.
func testCase(reply string) harness.Case {
	return harness.Case{
		Dialect: "planpatch",
		Plan:    []byte(`{"title":"t","steps":[{"id":"a","description":"d"}]}`),
		Replies: []harness.Reply{harness.Reply(reply)},
	}
}
