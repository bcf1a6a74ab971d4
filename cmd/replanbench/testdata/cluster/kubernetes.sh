#!/bin/sh
# Reads the manifest that init writes strictly, as the published types of batch/v1, which
# come with the Go module k8s.io/api: kubernetes.sh PROGRAM
set -eu
program=$(realpath "${1:?give the program replanbench}")
source=$(realpath "$(dirname "$0")/kubernetes/main.go")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"$program" init --cluster kubernetes >/dev/null
cp "$source" main.go
go mod init manifest 2>/dev/null
go get k8s.io/api/batch/v1@v0.33.0 sigs.k8s.io/yaml@v1.4.0
go run . replanbench.kubernetes.yml
