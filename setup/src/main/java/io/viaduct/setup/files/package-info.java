/// The files of an installation: made once, readable only by their owner, never overwritten.
@NullMarked
package io.viaduct.setup.files;

import org.jspecify.annotations.NullMarked;
