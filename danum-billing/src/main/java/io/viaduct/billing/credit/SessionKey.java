package io.viaduct.billing.credit;

/// The identity of one session of a device at one SNAPT.
///
/// @param snapt id of the SNAPT
/// @param id id of the session, issued by the SNAPT
record SessionKey(String snapt, String id) {}
