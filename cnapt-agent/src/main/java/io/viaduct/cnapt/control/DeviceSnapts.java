package io.viaduct.cnapt.control;

/// The state that the control clients of one device share.
///
/// @param bootstrap the first SNAPT to connect to
/// @param claims who has which SNAPT
/// @param bridge checks the directories that SNAPTs carry
public record DeviceSnapts(SnaptSettings bootstrap, SnaptClaims claims, BridgeDirectory bridge) {}
