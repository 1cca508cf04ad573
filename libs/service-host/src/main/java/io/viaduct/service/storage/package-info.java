/// Files that only the process's own user may read.
@NullMarked
package io.viaduct.service.storage;

import org.jspecify.annotations.NullMarked;
