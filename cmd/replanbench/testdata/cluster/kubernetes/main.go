// Command kubernetes reads Jobs strictly, as the types that Kubernetes publishes: a member
// that batch/v1 does not have, or of the wrong type, is an error.
package main

import (
	"bytes"
	"fmt"
	"os"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	for _, doc := range bytes.Split(data, []byte("\n---\n")) {
		var job batch.Job
		if err == nil {
			err = yaml.UnmarshalStrict(doc, &job)
		}
		if err != nil || job.APIVersion != "batch/v1" || job.Kind != "Job" || len(job.Spec.Template.Spec.Containers) == 0 {
			fmt.Fprintln(os.Stderr, os.Args[1], err)
			os.Exit(1)
		}
		fmt.Println(job.Kind, job.Name, "is a Job of batch/v1")
	}
}
