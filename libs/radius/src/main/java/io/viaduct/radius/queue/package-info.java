/// Records on disk, which are sent until a server has answered them.
@NullMarked
package io.viaduct.radius.queue;

import org.jspecify.annotations.NullMarked;
