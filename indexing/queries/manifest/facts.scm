; Manifests are not parsed: the project reads them.
