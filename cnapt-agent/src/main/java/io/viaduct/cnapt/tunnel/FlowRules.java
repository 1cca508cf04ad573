package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.snapts.SnaptChoice;

/// The rules that decide about each new flow: its application and class, its paths, and its SNAPT.
///
/// @param owners finds the process of a flow, which may correct its class
/// @param choice of the SNAPT, if there are several
public record FlowRules(
    Classifier classifier, OwnerLookup owners, Policy policy, SnaptChoice choice) {}
