/// Numbers, times and tables for people.
@NullMarked
package io.viaduct.denarii.text;

import org.jspecify.annotations.NullMarked;
