package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/// One charge, by its id.
@RestController
@Tag(name = "charges")
class ChargesResource {
  private final Charges charges;

  ChargesResource(Charges charges) {
    this.charges = charges;
  }

  @GetMapping("/api/v1/charges/{id}")
  @Operation(summary = "One charge", operationId = "getCharge")
  Charge get(Caller caller, @PathVariable String id) {
    if (!id.matches("[0-9]{1,18}")) {
      throw ProblemException.notFound();
    }
    Charge charge = charges.find(Long.parseLong(id)).orElseThrow(ProblemException::notFound);
    BearerCheck.requireOwn(caller, charge.account());
    return charge;
  }
}
