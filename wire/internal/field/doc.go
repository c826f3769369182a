// Package field is the codec that the messages of package wire, those of wire/dpl8 and the frames of wire/reliable have in
// common: decoder, encoder, what a visitor is told, and errors with their place, by naming each field once.
//
// A [Cursor] goes through fields that stand one behind the other. A [Codec] is a Cursor for messages with parts that offset
// fields lead to; what it finds elsewhere than it would put it itself goes into the message's [Layout].
//
// What programs see of this (fields, errors, kinds, layouts) has its documentation in package wire, which shows the types
// of this package under names of its own.
package field
