package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.configuration.FileName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Files of charging data records.
///
/// @param directory directory that the files are written to, of an existing path; empty for none
/// @param format `3GPP`, `CSV` or `JSONL`
/// @param node first part of file names
/// @param address address of the node in the header of 3GPP files
/// @param records most records of a file
/// @param bytes most octets of the records of a file
/// @param openTime age of the oldest record at which a file is closed
public record CdrSettings(
    @FileName String directory,
    String format,
    String node,
    String address,
    int records,
    long bytes,
    Duration openTime) {
  public CdrSettings {
    require(
        directory.isEmpty() || Files.isDirectory(Path.of(directory)),
        "directory must exist, or be empty",
        directory);
    require(
        List.of("3GPP", "CSV", "JSONL").contains(format),
        "format must be 3GPP, CSV or JSONL",
        format);
    require(node.matches("[A-Za-z0-9-]{1,40}"), "node must be 1 to 40 of A-Z a-z 0-9 -", node);
    require(
        address.matches("[0-9a-fA-F.:]{2,45}"), "address must be an IPv4 or IPv6 address", address);
    require(
        records >= 1 && records <= 1_000_000,
        "records must be 1 to 1000000",
        Integer.toString(records));
    require(
        bytes >= 1024 && bytes <= 1L << 28,
        "bytes must be 1024 to 268435456",
        Long.toString(bytes));
    between("open-time", openTime, Duration.ofSeconds(1), Duration.ofHours(24));
  }
}
