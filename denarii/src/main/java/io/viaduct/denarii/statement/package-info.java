/// The check of signed statements without billing: line by line, each finding with its rule.
@NullMarked
package io.viaduct.denarii.statement;

import org.jspecify.annotations.NullMarked;
