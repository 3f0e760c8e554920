package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io/fs"
	"os"
	"slices"
	"time"
)

// A file of an archive. Its bytes are read from path, where there is one.
type file struct {
	name, path string
	data       []byte
	mode       fs.FileMode
}

func (f *file) read() (err error) {
	if f.path != "" {
		f.data, err = os.ReadFile(f.path)
	}
	return err
}

// byName is the order of an archive's files, whatever order they were named in.
func byName(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

// packTar is a compressed tar of files in a folder, all of root's and of one time. The gzip header has no name and no
// time.
func packTar(folder string, made time.Time, files []file) ([]byte, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range byName(files) {
		err := archive.WriteHeader(&tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg,
			Name: folder + "/" + f.name, Size: int64(len(f.data)),
			Mode: int64(f.mode), Uname: "root", Gname: "root", ModTime: made})
		if err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	err = compressed.Close()
	return b.Bytes(), err
}

// packZip is the same as a zip, for systems that have no tar.
func packZip(folder string, made time.Time, files []file) ([]byte, error) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, f := range byName(files) {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: made.UTC()}
		header.SetMode(f.mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return b.Bytes(), err
}
