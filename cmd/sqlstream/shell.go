package main

import "context"

func (a *app) shell(ctx context.Context) error { return notYetShell }

var notYetShell error
