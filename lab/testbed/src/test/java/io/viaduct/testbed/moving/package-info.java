/// A device that moves between links while its connections go on.
@NullMarked
package io.viaduct.testbed.moving;

import org.jspecify.annotations.NullMarked;
