/// The settings of an installation, from which its files are made.
@NullMarked
package io.viaduct.setup.installation;

import org.jspecify.annotations.NullMarked;
