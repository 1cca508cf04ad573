package io.viaduct.billing.credit;

import io.viaduct.billing.rating.Use;

/// The use of one application, as a SNAPT tells it.
///
/// @param used total since the start of the session
/// @param bytesPerSecond present rate; 0 if it is not known yet
/// @param flows open flows
record UsedByApplication(Application application, Use used, double bytesPerSecond, long flows) {}
