/// The files of an installation: made once, closed to other users, never overwritten.
@NullMarked
package io.viaduct.setup.files;

import org.jspecify.annotations.NullMarked;
