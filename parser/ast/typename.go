package ast

// TypeName is a type as written, in a tree.
type TypeName struct {
	Pos
	// Name in upper case and canonical: CHAR VARCHAR STRING BOOLEAN BINARY VARBINARY BYTES DECIMAL TINYINT SMALLINT
	// INT BIGINT FLOAT DOUBLE DATE TIME TIMESTAMP TIMESTAMP_LTZ INTERVAL ARRAY MAP MULTISET ROW VARIANT RAW NULL.
	// INTEGER is INT, NUMERIC and DEC are DECIMAL, DOUBLE PRECISION is DOUBLE, TIMESTAMP WITH LOCAL TIME ZONE is
	// TIMESTAMP_LTZ.
	Name string
	// Precision is the length of characters and bytes, the precision of the others; -1 if not given. Scale is -1 if not given.
	Precision, Scale int
	// NotNull: NOT NULL was written.
	NotNull bool
	// Elem is of ARRAY and MULTISET, and the value of MAP; Key the key of MAP.
	Elem, Key *TypeName
	Fields    []TypeField // of ROW
	// From and To are the units of INTERVAL; To is "" without a range. Precision belongs to From, Scale holds the fraction's.
	From, To string
}

// TypeField is one field of ROW<…>.
type TypeField struct {
	Name    Ident
	Type    *TypeName
	Comment *string
}
