// Command sqlstream is the streaming engine: an interactive SQL shell, a
// runner of job files, and the tools around both.
package main

func main() {}
