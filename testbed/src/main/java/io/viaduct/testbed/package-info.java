/// The laboratory's program: what runs as the first process of the namespaces.
@NullMarked
package io.viaduct.testbed;

import org.jspecify.annotations.NullMarked;
