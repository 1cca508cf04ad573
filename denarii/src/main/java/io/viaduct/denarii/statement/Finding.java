package io.viaduct.denarii.statement;

/// A rule that a statement breaks.
///
/// @param line number of the line, from 1; 0 for the whole file
/// @param detail what was found, in words
public record Finding(long line, Rule rule, String detail) {}
