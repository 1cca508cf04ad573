/// Requests on disk, which are sent until a peer has answered them.
@NullMarked
package io.viaduct.diameter.queue;

import org.jspecify.annotations.NullMarked;
