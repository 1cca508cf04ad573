/// Network namespaces and the links between them, on one machine and without root.
@NullMarked
package io.viaduct.testbed.topology;

import org.jspecify.annotations.NullMarked;
