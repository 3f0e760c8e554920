// Package lasting tests what lasts longer than a launch, each in each confinement: homes, with what one launch leaves
// in them for the next, and the folders of installed packages. The package has tests only.
package lasting
