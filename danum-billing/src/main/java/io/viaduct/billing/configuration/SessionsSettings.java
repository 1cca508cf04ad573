package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import java.time.Duration;

/// Lifetime of logins, and the throttle for wrong passwords.
///
/// @param lifetime lifetime of a login
/// @param wrongPasswords wrong passwords that are free: for one name from one source, or for one
///   known browser
/// @param throttle pause between further attempts of that source
/// @param knownBrowserPause pause between further attempts of that known browser
/// @param wrongPasswordsPerSource wrong passwords within a minute from one source, for all names
/// @param wrongPasswordsPerName wrong passwords from all sources before attempts for the name must
///   wait
/// @param namePause pause between further attempts for that name
/// @param passwordHashes most passwords that are hashed at the same time
public record SessionsSettings(
    Duration lifetime,
    int wrongPasswords,
    Duration throttle,
    Duration knownBrowserPause,
    int wrongPasswordsPerSource,
    int wrongPasswordsPerName,
    Duration namePause,
    int passwordHashes) {
  public SessionsSettings {
    between("lifetime", lifetime, Duration.ofSeconds(1), Duration.ofDays(30));
    between("throttle", throttle, Duration.ofMillis(100), Duration.ofHours(24));
    require(
        wrongPasswords >= 1 && wrongPasswords <= 100,
        "wrong-passwords must be between 1 and 100",
        Integer.toString(wrongPasswords));
    between(
        "known-browser-pause", knownBrowserPause, Duration.ofMillis(100), Duration.ofMinutes(1));
    between("name-pause", namePause, Duration.ofMillis(100), Duration.ofMinutes(1));
    require(
        wrongPasswordsPerSource >= wrongPasswords && wrongPasswordsPerSource <= 10_000,
        "wrong-passwords-per-source must be between wrong-passwords and 10000",
        Integer.toString(wrongPasswordsPerSource));
    require(
        wrongPasswordsPerName >= wrongPasswords && wrongPasswordsPerName <= 10_000,
        "wrong-passwords-per-name must be between wrong-passwords and 10000",
        Integer.toString(wrongPasswordsPerName));
    require(
        passwordHashes >= 1 && passwordHashes <= 256,
        "password-hashes must be between 1 and 256",
        Integer.toString(passwordHashes));
  }
}
