/// Attributes and named values, read from `radius.dictionary`.
@NullMarked
package io.viaduct.radius.dictionary;

import org.jspecify.annotations.NullMarked;
