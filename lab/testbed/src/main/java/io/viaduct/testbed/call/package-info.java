/// Calls with audio between user agents of another project, and measures of what their listeners
/// hear.
@NullMarked
package io.viaduct.testbed.call;

import org.jspecify.annotations.NullMarked;
