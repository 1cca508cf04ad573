/// The gRPC server that SNAPTs announce themselves to and send their reports to.
@NullMarked
package io.viaduct.bridge.snapts;

import org.jspecify.annotations.NullMarked;
