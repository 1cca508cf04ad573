/// Several SNAPTs: what is known about each, and the choice of one for a new flow.
@NullMarked
package io.viaduct.cnapt.snapts;

import org.jspecify.annotations.NullMarked;
