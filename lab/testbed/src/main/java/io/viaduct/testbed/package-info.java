/// The laboratory's program, which is the first process of the namespaces.
@NullMarked
package io.viaduct.testbed;

import org.jspecify.annotations.NullMarked;
