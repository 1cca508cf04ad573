package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.provisioning.SipAddresses;
import io.viaduct.billing.provisioning.SipCredentials;
import io.viaduct.billing.provisioning.UserRefusedException;
import java.time.InstantSource;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Shows the SIP addresses of accounts, and adds and removes those beside the account's id.
@RestController
@RequestMapping("/api/v1/accounts/{id}/sip-addresses")
@Tag(name = "accounts")
class SipAddressesResource {
  private final SipAddresses addresses;
  private final SipCredentials credentials;
  private final InstantSource clock;

  SipAddressesResource(SipAddresses addresses, SipCredentials credentials, InstantSource clock) {
    this.addresses = addresses;
    this.credentials = credentials;
    this.clock = clock;
  }

  record SipAddressList(String domain, String username, List<String> sipAddresses) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping
  @Operation(
      summary = "SIP domain, digest username and addresses of an account",
      description = "The account's id is an address too; it is not in the list.",
      operationId = "listSipAddresses")
  SipAddressList list(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    CallerAccess.requireOwn(caller, id);
    return new SipAddressList(credentials.realm(), id, addresses.of(id));
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.ACCOUNT_CLOSED})
  @PutMapping("/{address}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Give an account another SIP address, as an operator",
      description =
          "Its devices register with the credentials of the account for all addresses. What is sent"
              + " to one of them reaches all devices of the account.",
      operationId = "putSipAddress")
  void put(@PathVariable String id, @PathVariable String address) {
    if (!address.matches(SipAddresses.PATTERN)) {
      throw ProblemException.invalid("address must match " + SipAddresses.PATTERN);
    }
    try {
      addresses.add(id, address, clock.instant());
    } catch (UserRefusedException e) {
      throw UsersResource.problem(e);
    }
  }

  @Refuses(ProblemType.NOT_FOUND)
  @DeleteMapping("/{address}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Take a SIP address of an account away, as an operator",
      operationId = "removeSipAddress")
  void remove(@PathVariable String id, @PathVariable String address) {
    if (!addresses.remove(id, address)) {
      throw ProblemException.notFound();
    }
  }
}
