/// What each stage of a packet's way costs in time and garbage, and the command that tells. One
/// class per stage; a stage whose parts are private to a package is driven through the session that
/// owns them.
@NullMarked
package io.viaduct.stages;

import org.jspecify.annotations.NullMarked;
