package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.FlowIdentity;
import java.net.InetAddress;

/// The properties of a flow on which rules decide.
///
/// @param remote address of the other host
/// @param application application of the flow, with its service class
public record FlowFacts(FlowIdentity flow, InetAddress remote, Application application) {}
