package io.viaduct.spring.operations;

/// The service of this process.
///
/// @param name name of the service, such as `ims-bridge`
/// @param main a class of the service's own jar, whose manifest holds the version
public record ServiceIdentity(String name, Class<?> main) {}
