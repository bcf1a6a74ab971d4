package config

import (
	"math"
	"reflect"
	"time"
)

// Schema returns the JSON Schema (draft 2020-12) of the file, for editors.
func Schema() map[string]any {
	s := schemaOf(reflect.ValueOf(Default()).Elem())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = FileName
	s["description"] = "The configuration of replanbench check."
	return s
}

func schemaOf(v reflect.Value) map[string]any {
	orNull := func(types ...any) []any { return append(types, "null") }
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		// 0 may be a number: minimum and maximum apply to numbers alone.
		return map[string]any{
			"type":    orNull("string", "integer"),
			"pattern": `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$|^0$`, "minimum": 0, "maximum": 0,
		}
	case v.Kind() == reflect.Struct:
		return objectSchema(v)
	case v.Kind() == reflect.Slice:
		items := schemaOf(reflect.New(v.Type().Elem()).Elem())
		types := typesOf(items)
		items["type"] = types[:len(types)-1] // a list has no place for null
		return map[string]any{"type": orNull("array"), "items": items}
	case v.Kind() == reflect.Bool:
		return map[string]any{"type": orNull("boolean")}
	case v.Kind() == reflect.String:
		return map[string]any{"type": orNull("string", "number", "boolean")} // a text need not be quoted
	case v.Kind() == reflect.Uint64:
		return map[string]any{"type": orNull("integer"), "minimum": 0, "maximum": uint64(math.MaxUint64)}
	}
	return map[string]any{"type": orNull("integer"), "minimum": 0, "maximum": math.MaxInt64}
}

func objectSchema(v reflect.Value) map[string]any {
	properties := map[string]any{}
	for _, f := range fieldsOf(v) {
		p := schemaOf(f.value)
		p["description"] = f.tag.Get("doc")
		switch f.value.Kind() {
		case reflect.Struct, reflect.Slice:
		default:
			p["default"] = plain(f.value)
		}
		if least, ok := f.bound("min"); ok {
			p["minimum"] = least
		}
		if most, ok := f.bound("max"); ok {
			p["maximum"] = most
		}
		properties[f.name] = p
	}
	return map[string]any{"type": []any{"object", "null"}, "properties": properties, "additionalProperties": false}
}

func plain(v reflect.Value) any {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return time.Duration(v.Int()).String()
	}
	return v.Interface()
}
