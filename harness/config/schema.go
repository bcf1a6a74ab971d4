package config

import (
	"reflect"
	"time"
)

// Schema returns the JSON Schema (draft 2020-12) of the file, for editors.
func Schema() map[string]any {
	s := schemaOf(reflect.ValueOf(Default()).Elem())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = FileName
	s["description"] = "What replanbench check runs, and what it asks for."
	return s
}

func schemaOf(v reflect.Value) map[string]any {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return map[string]any{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$|^0$`}
	case v.Kind() == reflect.Struct:
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
		return map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
	case v.Kind() == reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(reflect.New(v.Type().Elem()).Elem())}
	case v.Kind() == reflect.Bool:
		return map[string]any{"type": []string{"boolean", "null"}}
	case v.Kind() == reflect.String:
		return map[string]any{"type": []string{"string", "null"}}
	}
	return map[string]any{"type": []string{"integer", "null"}, "minimum": 0}
}

func plain(v reflect.Value) any {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return time.Duration(v.Int()).String()
	}
	return v.Interface()
}
