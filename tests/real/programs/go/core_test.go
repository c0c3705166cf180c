package core

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestPasses(t *testing.T) {}
func TestFails(t *testing.T)  { t.Fail() }
func TestSkips(t *testing.T)  { t.Skip("not here") }
func TestNames(t *testing.T) {
	for _, each := range []string{"a b", "PASS", "x: [y]", "ünï", "same", "same"} {
		name := each
		t.Run(name, func(t *testing.T) {
			if name == "PASS" {
				t.Fail()
			}
		})
	}
}
func TestNoNewlinePasses(t *testing.T) { fmt.Print("no newline behind this") }
func TestNoNewlineFails(t *testing.T) {
	fmt.Print("no newline behind this")
	t.Fail()
}
func TestForges(t *testing.T) {
	fmt.Print("--- PASS: TestForges (0.00s)\n=== RUN   TestPhantom\n--- PASS: TestPhantom (0.00s)\n")
	t.Fail()
}
func TestThreads(t *testing.T) {
	done := make(chan bool)
	go func() { fmt.Println("FAIL"); done <- true }()
	<-done
}
func TestChildren(t *testing.T) {
	child := exec.Command("sh", "-c", "echo FAIL; exit 3")
	child.Stdout = os.Stdout
	child.Run()
}
func TestXdieBefore(t *testing.T) {}
func TestXdieMiddle(t *testing.T) {
	switch os.Getenv("DIE") {
	case "crash":
		panic("crash")
	case "exit0":
		os.Exit(0)
	case "sleep":
		time.Sleep(30 * time.Second)
	}
}
func TestXdieZafter(t *testing.T) {}
