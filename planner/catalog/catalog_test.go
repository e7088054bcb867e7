package catalog

import (
	"strings"
	"testing"
)

func TestTemporaryHidesPermanent(t *testing.T) {
	c := New()
	p := c.Resolve([]string{"t"})
	permanent, temporary := &Table{Path: p}, &Table{Path: p, Temporary: true}
	for _, x := range []*Table{permanent, temporary} {
		if err := c.AddTable(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.AddView(&View{Path: p}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a view took the name of a table: %v", err)
	}
	if c.Table(p) != temporary {
		t.Error("the temporary table is not seen")
	}
	if !c.DropTable(p) || c.Table(p) != permanent {
		t.Error("DROP did not uncover the permanent table")
	}
	if !c.DropTable(p) || c.DropTable(p) {
		t.Error("DROP of the permanent table went wrong")
	}
}

func TestDatabases(t *testing.T) {
	c := New()
	if !c.AddDatabase("shop") || c.AddDatabase("shop") {
		t.Fatal("AddDatabase")
	}
	if err := c.AddTable(&Table{Path: c.Resolve([]string{"shop", "item"})}); err != nil {
		t.Fatal(err)
	}
	if err := c.AddTable(&Table{Path: c.Resolve([]string{"nowhere", "item"})}); err == nil {
		t.Error("a table went into a database that does not exist")
	}
	if tables, _ := c.TablesIn("shop"); len(tables) != 1 || tables[0] != "item" {
		t.Errorf("tables of shop: %v", tables)
	}
	if tables, _ := c.Tables(); len(tables) != 0 {
		t.Errorf("tables of the default database: %v", tables)
	}
	if err := c.DropDatabase("shop", false); err == nil || !strings.Contains(err.Error(), "CASCADE") {
		t.Errorf("a database with a table was dropped: %v", err)
	}
	if err := c.DropDatabase("shop", true); err != nil || c.HasDatabase("shop") {
		t.Errorf("DROP … CASCADE: %v", err)
	}
}
