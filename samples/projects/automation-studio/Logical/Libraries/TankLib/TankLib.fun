
{REDUND_ERROR} FUNCTION_BLOCK Inlet (*opens below the lower limit and closes at the upper one*)
	VAR_INPUT
		Level : INT;
		Low : INT;
		High : INT;
	END_VAR
	VAR_OUTPUT
		Open : BOOL;
	END_VAR
END_FUNCTION_BLOCK

{REDUND_ERROR} FUNCTION ToMillimeters : INT (*level in mm of an analog input*)
	VAR_INPUT
		Raw : INT;
	END_VAR
END_FUNCTION
