package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;

/// A request of ours and its answer.
///
/// @param request as it was sent last: with the T bit if an earlier copy had no answer
/// @param answer also one with an error
public record Exchange(DiameterMessage request, DiameterMessage answer) {}
