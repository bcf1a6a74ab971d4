package protocols

import (
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json"
)

// maxCopied is the largest number of bytes that the copy operations of one patch may add.
const maxCopied = 1 << 20

// applyPatch applies a JSON Patch to a document by RFC 6902. It is stricter than the
// library: the patch must be strict JSON, and a value cannot move into itself. A patch
// on which the library panics, such as a test of null without a value, is an error.
func applyPatch(document, patch []byte) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, fmt.Errorf("the patch cannot be applied: %v", r)
		}
	}()
	var list []struct {
		Op   string `json:"op"`
		Path string `json:"path"`
		From string `json:"from"`
	}
	if err := json.Unmarshal(patch, &list); err != nil {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	for _, o := range list {
		if o.Op == "move" && strings.HasPrefix(o.Path, o.From+"/") {
			return nil, errors.New("a value cannot be moved into itself")
		}
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices, options.AccumulatedCopySizeLimit = false, maxCopied
	return operations.ApplyWithOptions(document, options)
}
